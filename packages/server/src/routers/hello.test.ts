import { encode, LinkListenersSchema, RouterCapability, RouterMetadataSchema } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, FrameError, headerValue } from '@edge-controller/shared-types/channel';
import { describe, expect, it } from 'vitest';
import { readHello } from './hello.ts';

const { text } = headerValue;
const version: [number, Uint8Array] = [controlHeaders.versionInfo, text('v1.7.2|abc|2026-01-01 00:00:00|linux|amd64')];

function frameOf(headers: readonly [number, Uint8Array][] = [version], changes: Partial<Frame> = {}): Frame {
  return { type: 0, sequence: -1, headers: new Map(headers), body: text('router-1'), ...changes };
}

describe('the hello of a router', () => {
  it('names the router and what it runs', () => {
    expect(readHello(frameOf())).toEqual({
      ...{ routerId: 'router-1', linkListeners: new Uint8Array(), managesLinks: false, group: null, capabilities: 0n },
      version: { version: 'v1.7.2', revision: 'abc', buildDate: '2026-01-01 00:00:00', os: 'linux', arch: 'amd64' },
    });
  });

  it('says where other routers reach it, and whether it wants to know them', () => {
    const listener = {
      address: 'tls:10.0.0.1:6000',
      protocol: 'tls',
      costTags: [],
      groups: ['default'],
      localBinding: '',
    };
    const linkListeners = encode(LinkListenersSchema, { listeners: [listener] });
    // A router may be able to do what the controller does not know.
    const capabilities = [7 as RouterCapability, RouterCapability.LINK_MANAGEMENT];
    const metadata = encode(RouterMetadataSchema, { capabilities });
    const said: [number, Uint8Array][] = [
      [controlHeaders.linkListeners, linkListeners],
      [controlHeaders.routerMetadata, metadata],
      [controlHeaders.connectionId, text('the one before')],
      [1_234, Uint8Array.of(1)],
    ];
    expect(readHello(frameOf([version, ...said]))).toMatchObject({ linkListeners, managesLinks: true });
  });

  it('may leave a part of the version empty', () => {
    expect(readHello(frameOf([[controlHeaders.versionInfo, text('v0.0.0||||')]])).version).toEqual({
      ...{ version: 'v0.0.0', revision: '', buildDate: '', os: '', arch: '' },
    });
  });

  it.each<[string, Frame]>([
    ['another type', frameOf([version], { type: 1 })],
    ['no id', frameOf([version], { body: new Uint8Array() })],
    ['an id of 101 characters', frameOf([version], { body: text('x'.repeat(101)) })],
    ['an id that is not UTF-8', frameOf([version], { body: Uint8Array.of(0xff) })],
    ['no version', frameOf([])],
    ['a version of six parts', frameOf([[controlHeaders.versionInfo, text('a|b|c|d|e|f')]])],
    ['the type of a channel', frameOf([version, [controlHeaders.channelType, text('edge.default')]])],
    ['listeners that are none', frameOf([version, [controlHeaders.linkListeners, Uint8Array.of(0xff)]])],
    ['metadata that are none', frameOf([version, [controlHeaders.routerMetadata, Uint8Array.of(0xff)]])],
  ])('is none with %s', (_what, frame) => {
    expect(() => readHello(frame)).toThrow(FrameError);
  });
});
