/** LangGraph permits an operation that the memory service cannot do. Nothing was sent. */
export class StoreLimitError extends RangeError {
  override name = 'StoreLimitError';
}
