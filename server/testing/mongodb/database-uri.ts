/** A connection string of MongoDB with another database in it. */
export function uriOf(uri: string, database: string): string {
  const [, hosts = '', options = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]*)(?:\/[^?]*)?(\?.*)?$/.exec(uri) ?? [];
  return `${hosts}/${database}${options}`;
}
