/** Adds the addresses from which a user signed in, as JSON of keyed digests with times; see SignInPlace. */
export const signInPlaces = `
  ALTER TABLE users ADD COLUMN sign_in_places TEXT;
`;
