import { expect, test } from 'vitest';
import { scanTexts } from './scan.js';

test.each([
  ['ana@example.com'],
  ['Write to ana.maria+news@mail.example.co.uk.'],
  ['<ana@example.com>'],
  ['mailto:ana@example.com?subject=x'],
  ['Signed-off-by: Ana <ana@example.com>'],
  ["o'brien@example.ie, and so on"],
  ['ana@example.com:'],
  ['ana_1@sub-domain.example.museum'],
  ['a@163.com'],
  ['ana@xn--bcher-kva.example'],
  ['ana@bücher.example'],
  ['连系ana@example.com谢谢'],
  ['用户@例子.公司'],
  ['@ @@ ana@example.com @'],
  ['https://user:password@host.example/path'],
  ['ana@exam\u200bple.com'],
  ['ana＠example.com'],
  ['ａｎａ＠ｅｘａｍｐｌｅ．ｃｏｍ'],
  ['ana﹫example.com'],
])('detects the address in %s', (text) => {
  expect(scanTexts([text])).toEqual(['email']);
});

test.each([
  ['a handle', 'ask @ana about it'],
  ['a decorator', '@Injectable()\nexport class Memory {}'],
  ['a package with a version', 'npm install lodash@4.17.21 @types/node@20.19.43'],
  ['a package of a scope', '@modelcontextprotocol/sdk'],
  ['an action with a version', 'uses: actions/checkout@v4.1.7'],
  ['an image for dense screens', 'logo@2x.png'],
  ['a repository over SSH', 'git@github.com:owner/repository.git'],
  ['a host without a domain', 'root@localhost'],
  ['a matrix product', 'y = weights@inputs.transpose()'],
  ['a style rule', '@media (min-width: 40em) { a { color: red } }'],
  ['a digest', 'postgres@sha256:0123456789abcdef'],
  ['an address without a local part', '@example.com'],
  ['an at sign between words', 'meet @ noon . com'],
  ['a domain that starts with a hyphen', 'a@-x.com'],
  ['two dots in a row', 'a@b..com'],
])('lets %s pass', (_, text) => {
  expect(scanTexts([text])).toEqual([]);
});
