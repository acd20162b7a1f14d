/**
 * `request` and `job` begin a trace, unless they continue that of a caller. `store` and `call` are reported only within
 * another span.
 */
export type SpanKind = 'request' | 'job' | 'store' | 'call';

export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface SpanStart {
  kind: SpanKind;
  name: string;
  attributes?: SpanAttributes;
  /** Headers of a request. They may name the span of the caller, which counts if no span is active. */
  headers?: Readonly<Record<string, string | string[] | undefined>>;
}

export interface SpanEnd {
  /** Replaces the name of the start. */
  name?: string;
  attributes?: SpanAttributes;
  /** Class of an error, if the work failed. */
  errorType?: string;
}

/** Reports what the service does, and for how long, to the operator's tracing. Spans contain no data of tenants. */
export interface Tracing {
  begin(start: SpanStart): Span;
  /** Returns headers that name the active span, for a request to another service. Empty if no span is active. */
  headers(): Record<string, string>;
}

export interface Span {
  /** Runs work whose spans become children of this one. */
  run<Result>(work: () => Result): Result;
  end(end: SpanEnd): void;
}

/** Runs work within a span, which ends with it. */
export async function traced<Result>(
  tracing: Tracing,
  start: SpanStart,
  work: () => Promise<Result>,
  describe: (result: Result) => SpanEnd = () => ({}),
): Promise<Result> {
  const span = tracing.begin(start);
  let end: SpanEnd = {};
  try {
    const result = await span.run(work);
    end = describe(result);
    return result;
  } catch (error) {
    end = { errorType: error instanceof Error ? error.name : typeof error };
    throw error;
  } finally {
    span.end(end);
  }
}
