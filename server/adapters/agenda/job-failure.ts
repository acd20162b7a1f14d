/** The error that Agenda stores with a failed attempt: the class of the original error, never its text. */
export class JobFailure extends Error {
  override name = 'JobFailure';

  private constructor(
    readonly errorName: string,
    /** True if the job is not retried. */
    readonly isFinal: boolean,
  ) {
    super(errorName);
  }

  static of(error: unknown, isFinal: boolean): JobFailure {
    const name = error instanceof Error ? error.name : 'UnknownError';
    return new JobFailure(name, isFinal);
  }

  /** Returns the failure of a job whose process crashed too often. */
  static ofCrashes(): JobFailure {
    return new JobFailure('ProcessCrash', true);
  }
}
