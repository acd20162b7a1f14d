/** A key as a segment of a JSON pointer in a URI fragment. */
export function toPointer(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Returns the target of a pointer such as `#/components/schemas/Memory`, undefined if there is none. */
export function lookUp(document: unknown, pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .map((segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
}
