import { spawn } from 'node:child_process';

/** Opens an address in the browser of the person, without a shell. `onFault` is told why there is none. */
export function openBrowser(url: string, onFault: (why: string) => void): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [url], { stdio: 'ignore', detached: true });
  child.once('error', ({ message }) => onFault(message));
  child.unref();
}
