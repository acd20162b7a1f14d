/** The first items of a list that comes page by page; all of them unless a limit is given. */
export async function collect<Item>(items: AsyncIterable<Item>, limit = Number.POSITIVE_INFINITY): Promise<Item[]> {
  const collected: Item[] = [];
  if (limit <= 0) return collected;
  for await (const item of items) {
    collected.push(item);
    if (collected.length >= limit) break;
  }
  return collected;
}
