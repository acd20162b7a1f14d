import { describe, expect, test } from 'vitest';
import { PathTree } from './path-tree.js';

describe('the tree of paths', () => {
  const tree = new PathTree<string>();
  for (const path of ['/a/{id}', '/a/{id}/end', '/a/{id}/b/{other}', '/a/fixed/b/end', '/{top}/x'])
    tree.add(path, path);

  test.each([
    ['/a/1', '/a/{id}', { id: '1' }],
    ['/a/1/end', '/a/{id}/end', { id: '1' }],
    ['/a/1/b/2', '/a/{id}/b/{other}', { id: '1', other: '2' }],
    ['/a/fixed', '/a/{id}', { id: 'fixed' }],
    ['/a/fixed/b/end', '/a/fixed/b/end', {}],
    ['/a/fixed/b/2', '/a/{id}/b/{other}', { id: 'fixed', other: '2' }],
    ['/a/x', '/a/{id}', { id: 'x' }],
    ['/b/x', '/{top}/x', { top: 'b' }],
    ['/a/%7Bid%7D', '/a/{id}', { id: '{id}' }],
    ['/a/{id}', '/a/{id}', { id: '{id}' }],
    ['/a/b%2Fend', '/a/{id}', { id: 'b/end' }],
    ['/a/%00', '/a/{id}', { id: '%00' }],
    ['/a/__proto__', '/a/{id}', { id: '__proto__' }],
  ])('finds %s', (path, value, parameters) => {
    expect(tree.find(path)).toEqual({ value, path: parameters });
  });

  test.each([
    '',
    '/',
    '/a',
    '/a/',
    '/a//end',
    '/a/1/',
    '/a/1/End',
    '/a/1/%65nd',
    '/a/1/b/2/',
    '/a/1/b/2/c',
    'a/1',
    '//1',
  ])('finds nothing at "%s"', (path) => {
    expect(tree.find(path)).toBeUndefined();
  });

  test('finds nothing at a path of many segments', () => {
    expect(tree.find('/a'.repeat(5_000))).toBeUndefined();
  });
});
