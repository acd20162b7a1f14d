/** The addresses that a user signed in from, as keyed digests with times, in JSON; see SignInPlace. */
export const signInPlaces = `
  ALTER TABLE users ADD COLUMN sign_in_places TEXT;
`;
