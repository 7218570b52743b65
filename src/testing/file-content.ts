import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileContent, Files } from './scenario.ts';

/** The bytes of a file. */
export function toBytes(content: Exclude<FileContent, null>): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content.base64, 'base64');
}

/** Writes files below a folder, or deletes them. */
export function writeFiles(folder: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    if (content === null) {
      rmSync(path, { recursive: true, force: true });
      continue;
    }
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, toBytes(content));
  }
}
