import { describe, expect, it } from 'vitest';
import { isRalphError } from '../../core/values/errors.ts';
import { findFleetAddress } from './fleet-options.ts';

function refuse(typed: string | true, env: Readonly<Record<string, string>> = {}, command?: 'run' | '--nats'): string {
  try {
    return findFleetAddress(typed, env, command);
  } catch (error) {
    if (!isRalphError(error)) throw error;
    return `${error.message} ${error.fix ?? ''}`;
  }
}

describe('the address of a fleet', () => {
  it.each([
    'nats://10.0.0.5',
    'tls://fleet.example:4222',
    'nats://ralph:a%2Fb@10.0.0.5:4222',
    'nats://ralph:p@10.0.0.5:4222,10.0.0.6:4222',
    'nats://[::1]:4222',
    'nats://ralph:a,b@h',
  ])('is taken as it was typed, also without a port: %s', (address) => {
    expect(findFleetAddress(address, {})).toBe(address);
  });

  it('may be a folder of this machine, which is always called the same', () => {
    expect(['file:/f/fleet', 'file:///f/fleet', 'file:/f/x/../my fleet'].map((address) => findFleetAddress(address, {}))).toEqual([
      'file:/f/fleet',
      'file:/f/fleet',
      'file:/f/my fleet',
    ]);
    for (const address of ['file:fleet', 'file:']) expect(refuse(address)).toMatch(/has to be an absolute path.*file:\/absolute\/folder/);
  });

  it('may leave the password to a file, and only then', () => {
    expect(findFleetAddress('nats://ralph@h', { RALPH_FLEET_PASSWORD_FILE: '/p' })).toBe('nats://ralph@h');
    expect(refuse('nats://s3cret@h')).toMatch(
      /^That address names who asks, and no password\..*nats:\/\/NAME:PASSWORD@host:4222.*RALPH_FLEET_PASSWORD_FILE/s,
    );
    expect(refuse('nats://s3cret@h')).not.toContain('s3cret');
  });

  it.each([
    ['nats:/10.0.0.5', 'That is no address of a fleet: two slashes stand behind nats:'],
    ['tls:fleet.example:4222', 'two slashes stand behind tls:'],
    ['http://10.0.0.5:4222', 'A fleet is asked by nats:// or tls://, or is in a folder (file:/…), and not asked by http://.'],
    ['10.0.0.5:4222', 'That address lacks the nats:// before it.'],
    ['fleet.example', 'That address lacks the nats:// before it.'],
    ['files:/srv/fleet', 'No fleet is asked by files:/. One in a folder of this machine is called file:/absolute/folder'],
    ['files:///srv/fleet', 'or is in a folder (file:/…), and not asked by files://.'],
    ['file://host/srv/fleet', 'That address names a machine, host: a fleet in a folder is on this one. file:/srv/fleet'],
    ['file://host', 'That address names a machine, host: a fleet in a folder is on this one.'],
    ['/srv/fleet', 'That is a folder without file: before it. A fleet in it is called file:/srv/fleet'],
    ['./fleet', 'That is a folder that is not named from the root'],
    ['FILE:/srv/fleet', 'The beginning of that address is written in small letters: file:'],
    ['nats://my host:4222', 'The host in that address has a space in it.'],
    ['nats://', 'That address names no host.'],
    ['nats://ralph:p@', 'That address names no host.'],
    ['nats://host:port', 'The port in that address is no number from 1 to 65535.'],
    ['nats://host:99999', 'The port in that address is no number from 1 to 65535.'],
    ['nats://ralph:a/b@host', 'The name or the password in that address has a / in it, which is written %2F.'],
    ['nats://ralph:a#b@host', 'The name or the password in that address has a # in it, which is written %23.'],
    ['nats://a,tls://b', 'The servers of a fleet have to be asked in one way'],
    ['nats://ho<st', 'That is no address of a fleet.'],
  ])('is refused with what is wrong in it: %s', (address, said) => {
    expect(refuse(address)).toContain(said);
    expect(refuse(address)).toContain('nats://');
  });

  it('says that words are none, and what to type, by the command', () => {
    expect(refuse('Do it', {}, 'run')).toBe(
      '"Do it" is no address of a fleet. --fleet takes an address (nats://host:4222, file:/absolute/folder), or nothing where RALPH_FLEET says it. With this as the task: ralph run --fleet -p \'Do it\'',
    );
    expect(refuse("Mend it: don't wait", {}, 'run')).toContain('"Mend it: don\'t wait" is no address of a fleet.');
    expect(refuse('Do it')).toMatch(/"Do it" is no address .* What is not its address stands before it/);
  });

  it('says where the address stands that is wrong, and that none is known', () => {
    expect(refuse(true, { RALPH_FLEET: 'nats:/h' })).toContain('RALPH_FLEET');
    expect(refuse(true)).toMatch(/^Which fleet\?/);
  });

  it('shows nothing of what may be a login', () => {
    for (const typed of ['ralph:s3cret', 'nats:/ralph:s3cret@h', 'http://ralph:s3cret@h', 'nats://ralph:s3 cret@h ost', 's3cret@h'])
      expect(refuse(typed)).not.toMatch(/s3|cret/);
  });

  it('is asked for under the name of its option, and a word that may be a host is taken for one that lacks its beginning', () => {
    expect(refuse('localhost', {}, '--nats')).toMatch(/^"localhost" is no address of a fleet\..*nats:\/\/localhost:4222/s);
    expect(refuse('localhost', {}, '--nats')).not.toContain('--fleet');
    expect(refuse('localhost')).toContain('nats://localhost:4222');
    expect(refuse('Fix the test', {}, '--nats')).toMatch(/--nats takes an address/);
    expect(refuse('Fix the test')).not.toContain('nats://Fix');
  });
});
