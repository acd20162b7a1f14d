/** Returns a MongoDB connection string with another database name. */
export function uriOf(uri: string, database: string): string {
  const [, hosts = '', options = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]*)(?:\/[^?]*)?(\?.*)?$/.exec(uri) ?? [];
  return `${hosts}/${database}${options}`;
}
