/** The files that each tarball must contain. */
const REQUIRED = ['package.json', 'README.md', 'LICENSE'];
/** The licences of the packages that the server and the command line contain. */
const NOTICES = 'dist/THIRD-PARTY-NOTICES.txt';
/** Kind of file that no tarball may contain → its pattern. */
const FORBIDDEN = {
  'is a test': /\.test\./,
  'is a source map': /\.map$/,
  'is of the build':
    /(?:^|\/)(?:tsconfig[^/]*\.json|[^/]*\.config\.[^/]+|\.tsbuildinfo|build\.mjs|write-manifest\.[^/]+)$/,
  'is a source': /(?<!\.d)\.tsx?$/,
  'is for our own tests and measurements': /(?:^|\/)(?:acceptance|bench|durability|eval|testing)\//,
  'is hidden': /(?:^|\/)\./,
};
/** The test helpers that the client exports. */
const FOR_THEIR_TESTS = /^dist\/(?:cjs\/)?testing\//;
const OF_TESTS = 'is for our own tests and measurements';

/** @returns what is in the tarball and must not be, and what is missing, in words */
export function checkContents({ name, files }) {
  const ours = name === 'sdk' ? files.filter((file) => !FOR_THEIR_TESTS.test(file)) : files;
  const required = name === 'server' || name === 'cli' ? [...REQUIRED, NOTICES] : REQUIRED;
  const among = (what) => (what === OF_TESTS ? ours : files);
  return [
    ...required.filter((file) => !files.includes(file)).map((file) => `the tarball lacks ${file}`),
    ...Object.entries(FORBIDDEN).flatMap(([what, pattern]) =>
      among(what).flatMap((file) => (pattern.test(file) ? [`${file} ${what}`] : [])),
    ),
  ];
}
