import { describe, expect, test } from 'vitest';
import { Disk, type Image, SECTOR } from './disk.js';

const FILE = 'memory.db';
/** Nothing was changed between the call and its return. */
const NOW = Number.POSITIVE_INFINITY;

describe('a disk after a crash', () => {
  test('contains what was synced, and any part of the rest', () => {
    const disk = new Disk();
    disk.apply({ kind: 'create', file: FILE });
    disk.apply({ kind: 'write', file: FILE, offset: 0, bytes: bytes('first') });
    disk.apply({ kind: 'sync', file: FILE, called: NOW });
    disk.apply({ kind: 'write', file: FILE, offset: 0, bytes: bytes('FI') });
    disk.apply({ kind: 'write', file: FILE, offset: 7, bytes: bytes('!') });

    const without = disk.afterCrash([false, false]);
    const later = disk.afterCrash([false, true]);

    expect(textOf(without)).toBe('first');
    expect(textOf(later)).toBe('first\0\0!');
    expect(textOf(disk.afterCrash([true, true]))).toBe('FIrst\0\0!');
  });

  test('has lost writes for which only another file was synced', () => {
    const disk = new Disk();
    for (const file of [FILE, 'memory.db-wal']) disk.apply({ kind: 'create', file });
    disk.apply({ kind: 'write', file: FILE, offset: 0, bytes: bytes('lost') });

    disk.apply({ kind: 'sync', file: 'memory.db-wal', called: NOW });

    expect(disk.pending).toHaveLength(1);
    expect(textOf(disk.afterCrash([false]))).toBe('');
  });

  test('may have lost writes made while another thread waited for a sync', () => {
    const disk = new Disk();
    disk.apply({ kind: 'create', file: FILE });
    disk.apply({ kind: 'write', file: FILE, offset: 0, bytes: bytes('before') });
    disk.apply({ kind: 'write', file: FILE, offset: 6, bytes: bytes(' meanwhile') });

    disk.apply({ kind: 'sync', file: FILE, called: 2 });

    expect(textOf(disk.afterCrash([false]))).toBe('before');
    expect(textOf(disk.afterCrash([true]))).toBe('before meanwhile');
  });

  test('may have torn a write at a sector boundary', () => {
    const disk = new Disk();
    disk.apply({ kind: 'create', file: FILE });
    disk.apply({ kind: 'sync', file: FILE, called: NOW });
    disk.apply({ kind: 'write', file: FILE, offset: SECTOR - 2, bytes: bytes('ab'.repeat(2)) });

    const torn = disk.afterCrash([(sector) => sector === 0]);

    expect(textOf(torn)?.slice(SECTOR - 2)).toBe('ab');
    expect(torn.get(FILE)).toHaveLength(SECTOR);
  });

  test('has the old file or the new one after a rename over a name, never a mixture', () => {
    const disk = new Disk();
    disk.apply({ kind: 'create', file: FILE });
    disk.apply({ kind: 'write', file: FILE, offset: 0, bytes: bytes('old file') });
    disk.apply({ kind: 'sync', file: FILE, called: NOW });
    disk.apply({ kind: 'unlink', file: FILE });
    disk.apply({ kind: 'create', file: FILE });
    disk.apply({ kind: 'write', file: FILE, offset: 0, bytes: bytes('new') });

    expect(textOf(disk.afterCrash([false, false, true]))).toBe('old file');
    expect(textOf(disk.afterCrash([true, false, true]))).toBeUndefined();
    expect(textOf(disk.afterCrash([true, true, true]))).toBe('new');
  });

  test('reads zeros in a file that was made shorter and longer again', () => {
    const disk = new Disk();
    disk.apply({ kind: 'create', file: FILE });
    disk.apply({ kind: 'write', file: FILE, offset: 0, bytes: bytes('abcdef') });
    disk.apply({ kind: 'truncate', file: FILE, size: 2 });
    disk.apply({ kind: 'write', file: FILE, offset: 4, bytes: bytes('x') });

    disk.apply({ kind: 'sync', file: FILE, called: NOW });

    expect(textOf(disk.afterCrash([]))).toBe('ab\0\0x');
  });
});

function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}

function textOf(image: Image): string | undefined {
  const found = image.get(FILE);
  return found && Buffer.from(found).toString();
}
