import type { ClientSession, Collection, Filter, FindOptions } from 'mongodb';
import { limitedTo } from './paging.js';

/** Deletes at most `limit` matching documents, the first ones by `sort`, and returns the number that it found. */
export async function deleteSome<Document extends { _id: string }>(
  collection: Collection<Document>,
  filter: Filter<Document>,
  options: { session?: ClientSession; limit: number } & Pick<FindOptions, 'sort'>,
): Promise<number> {
  const limited = { ...options, ...limitedTo(options.limit) };
  const found = await collection.find(filter, limited).project<{ _id: string }>({ _id: 1 }).toArray();
  if (found.length === 0) return 0;
  const some = { _id: { $in: found.map(({ _id }) => _id) } } as Filter<Document>;
  await collection.deleteMany(some, { ...(options.session && { session: options.session }) });
  return found.length;
}
