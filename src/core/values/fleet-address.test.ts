import { expect, test } from 'vitest';
import { listServers, toFleetFolder } from './fleet-address.ts';

test('an address names one server, or those of a cluster behind commas', () => {
  expect(listServers('nats://a:4222')).toEqual(['nats://a:4222']);
  expect(listServers('tls://me:s@a:4222,b,c:1')).toEqual(['tls://me:s@a:4222', 'tls://b', 'tls://c:1']);
  expect(listServers('nats://a,nats://b')).toEqual(['nats://a', 'nats://b']);
});

test('a comma in a password parts nothing, and what is no address stays what it is', () => {
  expect(listServers('nats://me:a,b@h:4222,i')).toEqual(['nats://me:a,b@h:4222', 'nats://i']);
  expect(listServers('')).toEqual(['']);
  expect(listServers('here')).toEqual(['here']);
});

test('an address may name a folder, with or without two slashes more', () => {
  expect(['file:/f/my fleet', 'file:///f', 'file:f', 'nats://file:4222'].map(toFleetFolder)).toEqual(['/f/my fleet', '/f', 'f', null]);
});
