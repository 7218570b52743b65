import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cleanEnvironment, row } from './measure.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const MEGABYTES = 1024;
/** A megabyte of lines, many times over; then the promise. */
const AGENT = `#!/bin/sh
yes 'a line of output as an agent writes them, some eighty characters long, more or less' | head -c ${MEGABYTES}M
echo
echo LOOP_COMPLETE
`;
const CONFIG = 'cli: { backend: custom, command: ./agent.sh }\nevent_loop: { max_iterations: 1 }\ncore: { turn_log_mb: 4 }\n';

/** The most memory that a run takes that streams a gigabyte of output (Linux). */
export async function benchMemory() {
  if (process.platform !== 'linux') return [];
  return withFolder({ 'ralph.yml': CONFIG, 'agent.sh': AGENT }, async (cwd) => {
    const startedAt = Date.now();
    const peakKb = await watchPeak([RALPH, 'run', '-p', 'x', '--no-tui', '-q'], cwd);
    const seconds = (Date.now() - startedAt) / 1000;
    const bareKb = await watchPeak(['-e', 'setTimeout(() => {}, 200)'], cwd);
    return [
      row(
        `peak memory, ${MEGABYTES} MB of agent output`,
        `${Math.round(peakKb / 1024)} MB`,
        `bare node ${Math.round(bareKb / 1024)} MB`,
        `${(peakKb / bareKb).toFixed(2)} x`,
        `${Math.round(MEGABYTES / seconds)} MB/s`,
      ),
    ];
  });
}

/** The highest VmHWM that was seen while the process lived, in KB. */
function watchPeak(args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, env: cleanEnvironment(), stdio: 'ignore' });
    let peak = 0;
    const look = () => {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
      } catch {
        // It has just ended.
      }
    };
    const timer = setInterval(look, 20);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearInterval(timer);
      if (code === 0) resolve(peak);
      else reject(new Error(`node ${args.join(' ')} ended with ${code}`));
    });
  });
}
