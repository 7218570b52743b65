import { chmod, lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes a file or a folder that was made read-only: of what is in a folder without the right to write there nothing can be removed. What is not there is
 * removed already. Follows no link.
 *
 * @throws the system's error
 */
export async function removeShared(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null) return;
  if (stats.isDirectory()) await openFolders(path);
  await rm(path, { recursive: true, force: true });
}

async function openFolders(top: string): Promise<void> {
  const folders = [top];
  for (const folder of folders) {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) if (entry.isDirectory()) folders.push(join(folder, entry.name));
  }
}
