import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { judgeSecretName, judgeSecretText } from '../../../core/text/secret-files.ts';

const READ_BYTES = 256 << 10;

/**
 * Which of these files must not be published, each with why: `config/.env has the name of a file with secrets`.
 *
 * @param files relative to `folder`; those that are gone have nothing in them
 */
export async function findSecretFiles(files: readonly string[], folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of files) {
    const text = await readStart(join(folder, file));
    const why = text === null ? null : (judgeSecretName(file) ?? judgeSecretText(text));
    if (why !== null) found.push(`${file} ${why}`);
  }
  return found;
}

/** The beginning of a file; empty for what is no regular file, `null` where nothing is. */
async function readStart(path: string): Promise<string | null> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isFile()) return '';
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, 0);
      return buffer.toString('latin1', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : '';
  }
}
