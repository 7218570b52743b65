import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cleanEnvironment, row } from './measure.mjs';
import { RALPH, withFolder } from './workspace.mjs';

const MEGABYTES = 1024;
const SLOW_MEGABYTES = 100;
/** A megabyte of lines, many times over; then the promise. */
const toAgent = (megabytes) => `#!/bin/sh
yes 'a line of output as an agent writes them, some eighty characters long, more or less' | head -c ${megabytes}M
echo
echo LOOP_COMPLETE
`;
/** How much a slow reader takes at a time, and how often. */
const SIP_BYTES = 512 << 10;
const SIP_MS = 5;
const CONFIG = 'cli: { backend: custom, command: ./agent.sh }\nevent_loop: { max_iterations: 1 }\ncore: { turn_log_mb: 4 }\n';

/** The most memory that a run takes that streams a gigabyte of output, or whose own output is read slowly (Linux). */
export async function benchMemory() {
  if (process.platform !== 'linux') return [];
  return [...(await benchQuiet()), ...(await benchSlowReader('text')), ...(await benchSlowReader('ndjson'))];
}

async function benchSlowReader(format) {
  return withFolder({ 'ralph.yml': CONFIG, 'agent.sh': toAgent(SLOW_MEGABYTES) }, async (cwd) => {
    let bytes = 0;
    const startedAt = Date.now();
    const peakKb = await watchPeak([RALPH, 'run', '-p', 'x', '--no-tui', '--format', format], cwd, (taken) => {
      bytes += taken;
    });
    const seconds = (Date.now() - startedAt) / 1000;
    return [
      row(
        `peak memory, ${SLOW_MEGABYTES} MB of agent output, ${format} into a slow reader`,
        `${Math.round(peakKb / 1024)} MB`,
        `at most 150 MB`,
        `${Math.round(bytes / (1 << 20))} MB read`,
        `${Math.round(bytes / (1 << 20) / seconds)} MB/s`,
      ),
    ];
  });
}

function benchQuiet() {
  return withFolder({ 'ralph.yml': CONFIG, 'agent.sh': toAgent(MEGABYTES) }, async (cwd) => {
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

/** The highest VmHWM that was seen while the process lived, in KB. Its output is taken by sips where somebody wants it. */
function watchPeak(args, cwd, onTaken) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: cleanEnvironment(),
      stdio: ['ignore', onTaken === undefined ? 'ignore' : 'pipe', 'ignore'],
    });
    if (onTaken !== undefined) sip(child.stdout, onTaken);
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

/** Reads a stream slowly. */
function sip(stream, onTaken) {
  let taken = 0;
  stream.on('data', (bytes) => {
    onTaken(bytes.length);
    taken += bytes.length;
    if (taken < SIP_BYTES) return;
    taken = 0;
    stream.pause();
    setTimeout(() => stream.resume(), SIP_MS);
  });
}
