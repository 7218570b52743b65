/** `ralph web` in a folder, and ways to ask it. */
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { cleanEnvironment } from './measure.mjs';
import { RALPH } from './workspace.mjs';

export const TOKEN = 'bench-token-that-nobody-else-knows';

/** Starts it on a port that is free; `cwd` is to have a file `token`. `url` is the address with the code that counts once. */
export async function startWeb(cwd) {
  const env = cleanEnvironment({ XDG_STATE_HOME: join(cwd, 'state') });
  const path = join(cwd, 'token');
  rmSync(path);
  writeFileSync(path, TOKEN, { mode: 0o600 });
  const child = spawn(process.execPath, [RALPH, 'web', '--port', '0', '--token-file', path], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = await new Promise((resolve, reject) => {
    child.stdout.once('data', (text) => resolve(String(text)));
    child.stderr.once('data', (text) => setTimeout(() => reject(new Error(String(text))), 500));
  });
  const { port } = new URL(said.trim());
  const ask = (path) =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, headers: { Authorization: `Bearer ${TOKEN}` } }, resolve);
      sent.once('error', reject);
      sent.end();
    });
  return {
    url: said.trim(),
    pid: child.pid,
    open: async (path) => (await ask(path)).setEncoding('utf8'),
    json: async (path) => {
      const response = await ask(path);
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${text.slice(0, 300)}`);
      return JSON.parse(text);
    },
    stop: () => child.kill('SIGTERM'),
  };
}
