/** What Agenda is told of a failed attempt, and keeps with the job: the class of the error, never its text. */
export class JobFailure extends Error {
  override name = 'JobFailure';

  private constructor(
    readonly errorName: string,
    /** Whether no other attempt follows. */
    readonly isFinal: boolean,
  ) {
    super(errorName);
  }

  static of(error: unknown, isFinal: boolean): JobFailure {
    const name = error instanceof Error ? error.name : 'UnknownError';
    return new JobFailure(name, isFinal);
  }

  /** For a job that took its process down too often. */
  static ofCrashes(): JobFailure {
    return new JobFailure('ProcessCrash', true);
  }
}
