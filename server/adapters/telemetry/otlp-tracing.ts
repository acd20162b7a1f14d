import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Span as ApiSpan,
  SpanKind as ApiSpanKind,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Span, SpanEnd, SpanKind, SpanStart, Tracing } from '../../ports/tracing.js';

const KINDS: Readonly<Record<SpanKind, ApiSpanKind>> = {
  request: ApiSpanKind.SERVER,
  job: ApiSpanKind.CONSUMER,
  store: ApiSpanKind.CLIENT,
  call: ApiSpanKind.CLIENT,
};

const UNREPORTED: Span = { run: (work) => work(), end: () => {} };

/** Keeps the active span itself: the global parts of the API belong to an SDK that the operator may load. */
export class OtlpTracing implements Tracing {
  readonly #tracer: Pick<Tracer, 'startSpan'>;
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #active = new AsyncLocalStorage<Context>();

  constructor(tracer: Pick<Tracer, 'startSpan'>) {
    this.#tracer = tracer;
  }

  begin({ kind, name, attributes = {}, headers = {} }: SpanStart): Span {
    // A job may start in the context of the request that enqueued it, or of any other.
    const active = kind === 'job' ? undefined : this.#active.getStore();
    if (!active && (kind === 'store' || kind === 'call')) return UNREPORTED;
    const parent = active ?? this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    // The tools send requests within the service.
    const isInnerRequest = active !== undefined && kind === 'request';
    const options = { kind: isInnerRequest ? ApiSpanKind.INTERNAL : KINDS[kind], attributes };
    const span = this.#tracer.startSpan(name, options, parent);
    const within = trace.setSpan(parent, span);
    return { run: (work) => this.#active.run(within, work), end: (end) => finish(span, end) };
  }

  headers(): Record<string, string> {
    const active = this.#active.getStore();
    const headers: Record<string, string> = {};
    if (active) this.#propagator.inject(active, headers, defaultTextMapSetter);
    return headers;
  }
}

function finish(span: ApiSpan, { name, attributes, errorType }: SpanEnd): void {
  if (name !== undefined) span.updateName(name);
  if (attributes) span.setAttributes(attributes);
  if (errorType !== undefined) {
    span.setAttribute('error.type', errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
