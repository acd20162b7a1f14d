import { Component, type ComponentChildren } from 'preact';
import { FailureNotice } from '../kit/feedback/failure-notice.js';
import styles from './bare-page.module.css';

interface State {
  error?: unknown;
}

/** Shows a fault of a page in its place. */
export class FaultBoundary extends Component<{ children: ComponentChildren }, State> {
  override state: State = {};

  static override getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <main class={styles.page}>
        <h1>Something went wrong</h1>
        <FailureNotice error={this.state.error} onRetry={() => location.reload()} />
      </main>
    );
  }
}
