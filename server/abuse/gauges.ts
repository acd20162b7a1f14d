import { HttpClient } from '../testing/app/http-client.js';
import type { ServerProcess } from '../testing/processes/server-process.js';

const SAMPLE_MS = 100;
/** The resolution of the event loop measurement, which is also the delay of an idle loop. */
const RESOLUTION_SECONDS = 0.01;

export interface Gauged {
  /** Bytes; undefined if the system does not report it. */
  peak: number | undefined;
  /** The event loop delay in milliseconds; undefined if the server does not answer. */
  loopP99: number | undefined;
  loopMax: number | undefined;
}

/** Records the server's memory and event loop delay during a measurement. */
export class Gauges {
  private peak: number | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly client: HttpClient;

  private constructor(private readonly server: ServerProcess) {
    this.client = new HttpClient(Number(new URL(server.url).port));
    this.timer = setInterval(() => void this.sample(), SAMPLE_MS);
  }

  /** Each reading of the metrics resets the delays. */
  static async start(server: ServerProcess): Promise<Gauges> {
    const gauges = new Gauges(server);
    await gauges.delays();
    return gauges;
  }

  async stop(): Promise<Gauged> {
    clearInterval(this.timer);
    await this.sample();
    const delays = await this.delays();
    this.client.close();
    return { peak: this.peak, loopP99: late(delays, 'p99'), loopMax: late(delays, 'max') };
  }

  private async sample(): Promise<void> {
    const memory = await this.server.memory();
    if (memory) this.peak = Math.max(this.peak ?? 0, memory.resident);
  }

  private async delays(): Promise<string> {
    const answer = await this.client.send('GET', '/metrics').catch(() => undefined);
    return answer?.text ?? '';
  }
}

function late(metrics: string, figure: 'p99' | 'max'): number | undefined {
  const seconds = new RegExp(`^nodejs_eventloop_lag_${figure}_seconds ([\\d.e+-]+)$`, 'm').exec(metrics)?.[1];
  return seconds === undefined ? undefined : Math.max(0, Number(seconds) - RESOLUTION_SECONDS) * 1_000;
}
