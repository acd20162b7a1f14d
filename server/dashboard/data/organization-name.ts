/** Bounds of the name of an organization in openapi.yaml. */
export const NAME_BOUNDS = { required: true, maxLength: 100, pattern: '.*\\S.*' } as const;
