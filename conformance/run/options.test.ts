import { describe, expect, test } from 'vitest';
import { parseOptions, UsageError } from './options.js';

const ACCESS = ['--base-url', 'http://127.0.0.1:8080', '--token', 'msk_x'];

describe('the command line', () => {
  test('takes a report as a kind and a file, as often as wanted', () => {
    const options = parseOptions([...ACCESS, '--report', 'html', 'a.html', '--report', 'json=b.json'], {});

    expect(options).toMatchObject({
      reports: [
        { kind: 'html', file: 'a.html' },
        { kind: 'json', file: 'b.json' },
      ],
    });
  });

  test('takes sections, checks and capabilities, as often as wanted', () => {
    const given = [
      '--section',
      '4.2',
      '--section',
      '5',
      '--check',
      'batch-200',
      '--without',
      'mcp',
      '--needs',
      'quota',
    ];

    const options = parseOptions([...ACCESS, ...given], {});

    expect(options).toMatchObject({
      sections: ['4.2', '5'],
      checks: ['batch-200'],
      without: ['mcp'],
      needs: ['quota'],
    });
  });

  test('takes the deployment and the tokens from the environment where it does not name them', () => {
    const env = { MEMORY_BASE_URL: 'http://one.test', MEMORY_TOKEN: 'a', MEMORY_SECOND_TOKEN: 'b' };

    expect(parseOptions([], env)).toMatchObject({ baseUrl: 'http://one.test', token: 'a', secondToken: 'b' });
    expect(parseOptions(ACCESS, env)).toMatchObject({ baseUrl: 'http://127.0.0.1:8080', token: 'msk_x' });
  });

  test('takes how many tokens a run may make and how many checks run at once', () => {
    expect(parseOptions(ACCESS, {})).toMatchObject({ tokens: 30, jobs: 8 });
    expect(parseOptions([...ACCESS, '--tokens', '0', '--jobs', '1'], {})).toMatchObject({ tokens: 0, jobs: 1 });
  });

  test.each([
    [['--token', 'x'], '--base-url'],
    [['--base-url', 'nonsense', '--token', 'x'], '--base-url'],
    [['--base-url', 'http://one.test'], '--token'],
    [[...ACCESS, '--without', 'everything'], 'everything'],
    [[...ACCESS, '--report', 'pdf', 'a.pdf'], 'json, junit, html, badge'],
    [[...ACCESS, '--report', 'html'], '--report'],
    [[...ACCESS, '--colour'], '--colour'],
    [[...ACCESS, '--tokens', 'many'], '--tokens'],
    [[...ACCESS, '--jobs', '0'], '--jobs'],
    [[...ACCESS, 'stray'], 'stray'],
  ])('says what to write in place of %j', (args, told) => {
    expect(() => parseOptions(args, {})).toThrow(UsageError);
    expect(() => parseOptions(args, {})).toThrow(told);
  });

  test('is strict about missing capabilities only on request', () => {
    expect(parseOptions(ACCESS, {})).toMatchObject({ strict: false });
    expect(parseOptions([...ACCESS, '--strict'], {})).toMatchObject({ strict: true });
  });

  test('asks for help or the list of checks without a deployment', () => {
    expect([parseOptions(['--help'], {}), parseOptions(['--list'], {})]).toEqual(['help', 'list']);
  });
});
