/**
 * Returns the media type that an `Accept` header prefers among those that an operation has; the first if it prefers
 * none of them. A type that only a range such as `text/*` matches is not preferred.
 */
export function preferredType<Type extends string>(
  accept: string | undefined,
  types: readonly [Type, ...Type[]],
): Type {
  const weights = new Map((accept ?? '').split(',').map(toWeight));
  const weightOf = (type: Type) => weights.get(type) ?? 0;
  return types.reduce((best, type) => (weightOf(type) > weightOf(best) ? type : best), types[0]);
}

function toWeight(range: string): [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = given === undefined ? 1 : Number(given.slice(2));
  return [type, Number.isFinite(weight) ? weight : 0];
}
