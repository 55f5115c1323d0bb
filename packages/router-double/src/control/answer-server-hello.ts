import { ClientHelloSchema, encode } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import type { ControlParts } from './control-parts.ts';

/** Tells the controller where applications find the router. */
export function answerServerHello({ control, host, edge, dataModel, versionInfo }: ControlParts, frame: Frame): void {
  const [version = ''] = versionInfo.split('|');
  const { port } = edge;
  const address = { protocol: 'tls', hostname: host, port };
  const body = encode(ClientHelloSchema, {
    ...{ version, hostname: host, protocols: ['tls'], protocolPorts: [String(port)] },
    listeners: [
      { address: { ...address, value: `tls:${host}:${port}` }, advertise: { ...address, value: `${host}:${port}` } },
    ],
  });
  const headers = new Map<number, Uint8Array>([[controlHeaders.dataModelIndex, headerValue.u64(dataModel.index)]]);
  if (readHeader.boolean(frame.headers.get(controlHeaders.hasDataModel))) {
    headers.set(controlHeaders.hasDataModel, headerValue.boolean(true));
  }
  control.reply(frame, { type: controlTypes.clientHello, headers, body });
}
