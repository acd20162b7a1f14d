/** The version of the package, which a test holds to package.json. */
export const VERSION = '0.1.0';
