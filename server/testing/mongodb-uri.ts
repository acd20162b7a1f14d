import { inject } from 'vitest';

/** Connection string of the deployment under test, in files that only run with one. */
export function mongodbUri(): string {
  const uri = inject('mongodbUri');
  if (uri === undefined) throw new Error('run this file with "npm run test:mongodb"');
  return uri;
}
