import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../documents.mjs';
import { contextFiles, readIgnored } from './context.mjs';
import { containerSettings, parseDockerfile, readCopy, stageFaults } from './dockerfile.mjs';
import { isInContext } from './stage-folder.mjs';

const OURS = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const files = await contextFiles(ROOT);

function faultsOf(text) {
  return stageFaults(parseDockerfile(text), (source) => isInContext(files, source));
}

function changed(from, to) {
  expect(OURS).toContain(from);
  return OURS.replace(from, to);
}

describe('parseDockerfile', () => {
  test('reads stages, defaults of arguments, comments and lines that continue', () => {
    const text = [
      '# a comment',
      'ARG NODE=24',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the Dockerfile.
      'FROM node:${NODE}-slim AS build',
      'RUN one \\',
      '  # a comment inside',
      '  && two',
      'FROM debian',
      'COPY --from=build /a /b/',
      'ENV A=1 \\',
      '  B=x,y',
      'HEALTHCHECK --interval=1s CMD ["node", "-v"]',
      'CMD ["server"]',
    ].join('\n');

    const [build, image] = parseDockerfile(text);

    expect(build).toEqual({
      base: 'node:24-slim',
      name: 'build',
      steps: [{ name: 'RUN', rest: 'one && two', line: 4 }],
    });
    expect(readCopy(image.steps[0])).toEqual({ from: 'build', sources: ['/a'], target: '/b/' });
    expect(containerSettings(image)).toMatchObject({
      env: { A: '1', B: 'x,y' },
      health: ['node', '-v'],
      command: ['server'],
      stopSignal: 'SIGTERM',
    });
  });

  test.each([
    ['FROM debian\nADD a b', 'line 2: ADD is not known'],
    ['RUN true', 'line 1: there is no FROM'],
    ['RUN true\nFROM debian', 'line 1: RUN true: only ARG'],
    ['', 'line 1: there is no FROM'],
    ['FROM debian\nRUN a \\', 'line 2: the last line continues'],
  ])('rejects %j', (text, message) => {
    expect(() => parseDockerfile(text)).toThrow(message);
  });
});

describe('stageFaults', () => {
  test('finds nothing wrong in our Dockerfile', () => {
    expect(faultsOf(OURS)).toEqual([]);
  });

  test.each([
    ['COPY sdk/package.json sdk/', 'COPY sdk/pakage.json sdk/', 'sdk/pakage.json is not in the build context'],
    ['COPY sdk/package.json sdk/', 'COPY .ci/run sdk/', '.ci/run is not in the build context'],
    ['COPY --from=build /app /app', 'COPY --from=built /app /app', 'there is no stage built'],
    ['USER 10001:10001\n', '', 'USER must be the numbers'],
    ['USER 10001:10001', 'USER root', 'USER must be the numbers'],
    ['USER 10001:10001', 'USER 0:0', 'USER must be the numbers'],
    ['CMD ["memory-server"]', '', 'there is no CMD'],
    ['VOLUME /data\n', '', 'there must be one VOLUME'],
  ])('with %j changed to %j finds a fault', (from, to, fault) => {
    expect(faultsOf(changed(from, to))).toEqual([expect.stringContaining(fault)]);
  });

  test('rejects a command for a shell', () => {
    expect(() => faultsOf(changed('CMD ["memory-server"]', 'CMD memory-server'))).toThrow('must be a list');
  });
});

test('.dockerignore excludes names at the top, anywhere, and by their ends', () => {
  const isIgnored = readIgnored('# a comment\n.ci\n**/dist/\n**/*.log\ncli/a.json\n');
  const paths = [
    '.ci/run',
    'sdk/.ci',
    'dist',
    'sdk/dist/a.js',
    'sdk/distance',
    'a.log',
    'x/y.log',
    'a.logs',
    'cli/a.json',
  ];

  expect(paths.filter(isIgnored)).toEqual(['.ci/run', 'dist', 'sdk/dist/a.js', 'a.log', 'x/y.log', 'cli/a.json']);
});
