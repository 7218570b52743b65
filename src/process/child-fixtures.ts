import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect } from 'vitest';
import type { ProcessSpec } from './contract.ts';
import { findByMarker } from './end-processes.ts';

/** The environment of every child in the tests: nothing but the way to its programs. */
export const childEnv = { PATH: '/usr/local/bin:/usr/bin:/bin' };

/** A folder and a marker of its own for each test of a file. */
export interface ChildFixture {
  readonly folder: () => string;
  readonly marker: () => string;
  readonly path: (name: string) => string;
  readonly read: (name: string) => string;
  /** A child that runs a shell script. */
  readonly shell: (script: string, more?: Partial<ProcessSpec>) => ProcessSpec;
  /** A child that runs JavaScript. */
  readonly node: (code: string, more?: Partial<ProcessSpec>) => ProcessSpec;
}

/** Sets a fixture up before each test; after it, fails the test when a process that carries its marker is still there. */
export function useChildFixture(name: string): ChildFixture {
  let folder = '';
  let marker = '';
  let count = 0;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'process-test-'));
    count += 1;
    marker = `${name}/${process.pid}/${Math.random().toString(36).slice(2)}/${count}`;
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
    expect(findByMarker(marker)).toEqual([]);
  });
  const start = (command: string, args: readonly string[], more?: Partial<ProcessSpec>): ProcessSpec => {
    return { command, args, cwd: folder, env: childEnv, marker, ...more };
  };
  return {
    folder: () => folder,
    marker: () => marker,
    path: (file) => join(folder, file),
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    shell: (script, more) => start('/bin/sh', ['-c', script], more),
    node: (code, more) => start(process.execPath, ['-e', code], more),
  };
}

/** Waits for a child to write a file: the sign that it is ready for what the test does to it. */
export async function waitForFile(path: string): Promise<void> {
  for (let tries = 0; tries < 500 && !existsSync(path); tries += 1) await delay(5);
  expect(existsSync(path)).toBe(true);
}
