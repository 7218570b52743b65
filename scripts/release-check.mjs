/**
 * `npm run release:check`: what is published is packed, installed into an empty folder, and used there, on each Node.js that it is for. npm carries their
 * binaries; they and the package's own dependencies come from the registry. Nothing is published, and nothing outside a temporary folder is written.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pack } from './pack.mjs';
import { checkManifest } from './release-manifest.mjs';
import { listSmokes } from './release-smokes.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const VERSIONS = ['20', '22', '24'];
const STEP_MS = 180_000;

const problems = [];
const place = mkdtempSync(join(tmpdir(), 'ralph-release-'));
/** What a person's machine has beside Node.js, and nothing of this one's settings. */
const BASE = { HOME: join(place, 'home'), TMPDIR: place, LANG: 'C.UTF-8', NO_COLOR: '1', npm_config_update_notifier: 'false' };

function run(what, command, args, { cwd = place, env = {}, exitCode = 0, says } = {}) {
  const result = spawnSync(command, args, {
    cwd,
    env: { ...BASE, PATH: process.env.PATH, ...env },
    encoding: 'utf8',
    input: '',
    timeout: STEP_MS,
    maxBuffer: 64 << 20,
  });
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}`;
  if (result.status !== exitCode) return fail(`${what}: exit ${result.status ?? result.error?.message}, expected ${exitCode}`, output);
  if (says !== undefined && !output.includes(says)) return fail(`${what}: does not say ${JSON.stringify(says)}`, output);
  if (/\n\s+at .*\(.*:\d+:\d+\)/.test(output)) return fail(`${what}: shows a stack trace`, output);
  return output;
}

function fail(what, output) {
  problems.push(what);
  console.log(`FAIL ${what}\n${output.slice(-2000)}`);
  return output;
}

/** The settings that npm needs to reach a registry are those of the person who checks. */
function npm(what, args, cwd, env = {}) {
  return run(what, 'npm', args, { cwd, env: { HOME: process.env.HOME ?? BASE.HOME, ...toNpmSettings(), ...env } });
}

function toNpmSettings() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => /^npm_config_|^NODE_EXTRA_CA_CERTS$|_proxy$/i.test(name)));
}

function makeFolder(name, files = {}) {
  const folder = join(place, name);
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(folder, file), text);
    if (text.startsWith('#!')) chmodSync(join(folder, file), 0o755);
  }
  return folder;
}

function installNode(major) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = makeFolder(`node${major}`, { 'package.json': '{ "private": true }\n' });
  npm(`Node.js ${major} from npm`, ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${major}`], folder);
  return join(folder, 'node_modules', name, 'bin');
}

function checkOn(major, tarball) {
  const bin = installNode(major);
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const version = run(`Node.js ${major}`, 'node', ['--version'], { env }).trim();
  const installed = makeFolder(`installed${major}`, { 'package.json': '{ "private": true }\n' });
  // First as somebody has it whose npm leaves optional packages out.
  npm('install without optional packages', ['install', '--no-audit', '--no-fund', '--omit=optional', tarball], installed, env);
  const ralph = join(installed, 'node_modules/.bin/ralph');
  const found = join(installed, 'node_modules');
  if (existsSync(join(found, '@ai-sdk'))) fail('install without optional packages: they are there', '');
  const smokes = listSmokes(makeFolder, major);
  run('ralph --help', ralph, ['--help'], { env, says: 'ralph help design|look|publish|keep|all' });
  const helped = run('ralph help all', ralph, ['help', 'all'], { env });
  const commands = [...helped.matchAll(/^ {2}([a-z]+)(?= )/gm)].map((match) => match[1]);
  const untried = commands.filter((command) => !smokes.some(({ args }) => args[0] === command));
  if (commands.length === 0 || untried.length > 0) fail(`commands without a smoke test: ${untried.join(', ') || 'none was found'}`, helped);
  for (const command of commands) run(`ralph ${command} --help`, ralph, [command, '--help'], { env, says: 'ralph' });
  for (const { args, cwd, ...expected } of smokes) run(`${version}: ralph ${args.join(' ')}`, ralph, args, { cwd, env, ...expected });
  const own = join(installed, 'node_modules/.bin/ralph-hats');
  run('ralph-hats', own, ['--version'], { env, says: JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version });
  npm('install with optional packages', ['install', '--no-audit', '--no-fund', tarball], installed, env);
  if (!existsSync(join(found, '@ai-sdk/anthropic'))) fail('install: the provider packages are not there', '');
  console.log(`${problems.length === 0 ? 'ok  ' : '    '} ${version}: installed, ${commands.length} commands, demo, library`);
}

try {
  mkdirSync(BASE.HOME);
  if (!existsSync(join(ROOT, 'dist/cli.cjs'))) throw new Error('there is no build: npm run build');
  const tarball = pack(join(place, 'tarball'));
  for (const problem of checkManifest(tarball, place, ROOT)) fail(problem, '');
  for (const major of VERSIONS) checkOn(major, tarball);
} finally {
  rmSync(place, { recursive: true, force: true });
}
console.log(problems.length === 0 ? 'ready to be published' : `not ready: ${problems.length} of the steps failed`);
process.exitCode = problems.length === 0 ? 0 : 1;
