import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { withFolder } from './ralph.ts';

/** As `withFolder`; what a test that fails leaves at work in the folder is ended. */
export function withPlace<T>(files: Readonly<Record<string, string>>, use: (folder: string) => Promise<T>): Promise<T> {
  return withFolder(files, async (folder) => {
    try {
      return await use(folder);
    } finally {
      for (const { pid } of findProcesses(folder)) endProcess(pid);
    }
  });
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
}

/** The processes that work in a folder or carry the marker of a turn of one of its runs, however they were started. Linux only. */
export function findProcesses(folder: string): readonly { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const isIn =
        readLink(`/proc/${name}/cwd`).startsWith(folder) || readText(`/proc/${name}/environ`).includes(`RALPH_EVENTS_FILE=${folder}/`);
      const isZombie = /^\d+ \(.*\) [ZX]/s.test(readText(`/proc/${name}/stat`));
      return isIn && !isZombie ? [{ pid: Number(name), command: readText(`/proc/${name}/cmdline`).replaceAll('\0', ' ').trim() }] : [];
    });
}

/** True while a process is there and no zombie. */
export function isThere(pid: number): boolean {
  return !/^$|^\d+ \(.*\) [ZX]/s.test(readText(`/proc/${pid}/stat`));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
