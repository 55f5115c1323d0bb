/** A config type that every network has. Tunnelers and routers know it by its name. */
interface BuiltInConfigType {
  readonly id: string;
  readonly name: string;
  readonly target: 'service' | 'router';
  readonly schema: object;
}

const text = { type: 'string' };
const port = { type: 'integer', minimum: 0, maximum: 65_535 };
const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more });
const oneOf = (...values: readonly string[]) => ({ type: 'string', enum: values });
/** An object without other members. */
const object = (properties: object, ...required: readonly string[]) => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length > 0 && { required }),
});
const setOf = (name: string, description?: string) => ({
  allOf: [ref('inhabitedSet'), { items: ref(name) }],
  ...(description && { description }),
});

/** How a router or tunneler learns whether what it offers is well. */
const healthChecks = {
  duration: { type: 'string', pattern: '[0-9]+(h|m|s|ms)' },
  method: oneOf('GET', 'POST', 'PUT', 'PATCH'),
  action: object(
    {
      trigger: oneOf('fail', 'pass', 'change'),
      consecutiveEvents: port,
      duration: ref('duration'),
      action: { type: 'string', pattern: '(mark (un)?healthy|increase cost [0-9]+|decrease cost [0-9]+|send event)' },
    },
    'trigger',
    'action',
  ),
  actionList: list(ref('action'), { minItems: 1, maxItems: 20 }),
  portCheck: object(
    { interval: ref('duration'), timeout: ref('duration'), address: text, actions: ref('actionList') },
    'interval',
    'timeout',
    'address',
  ),
  httpCheck: object(
    {
      ...{ url: text, method: ref('method'), body: text, interval: ref('duration'), timeout: ref('duration') },
      actions: ref('actionList'),
      expectStatus: { type: 'integer', minimum: 100, maximum: 599 },
      expectInBody: text,
    },
    'interval',
    'timeout',
    'url',
  ),
  portCheckList: list(ref('portCheck')),
  httpCheckList: list(ref('httpCheck')),
};
const checked = { portChecks: ref('portCheckList'), httpChecks: ref('httpCheckList') };

// Addresses may be names, wildcards, IP addresses and networks: `idn-hostname` is a hint here, and not checked.
const address = { type: 'string', format: 'idn-hostname', not: { pattern: '^$' } };
const translation = (format: 'ipv4' | 'ipv6', bits: number) =>
  object({
    from: { type: 'string', format },
    to: { type: 'string', format },
    prefixLength: { type: 'integer', minimum: 0, maximum: bits },
  });
const tunnel = {
  dialAddress: address,
  listenAddress: address,
  inhabitedSet: { type: 'array', minItems: 1, uniqueItems: true },
  portNumber: port,
  portRange: object({ low: ref('portNumber'), high: ref('portNumber') }, 'low', 'high'),
  protocolName: oneOf('tcp', 'udp'),
  timeoutSeconds: { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 },
  proxyType: oneOf('http'),
  proxyConfiguration: {
    type: 'object',
    required: ['type', 'address'],
    properties: { type: ref('proxyType'), address: { type: 'string', description: 'host:port of the proxy' } },
  },
  ipv4AddressTranslation: translation('ipv4', 32),
  ipv6AddressTranslation: translation('ipv6', 128),
  addressTranslation: { oneOf: [ref('ipv4AddressTranslation'), ref('ipv6AddressTranslation')] },
};

const dialOptions = object({
  identity: { type: 'string', description: 'Dials the terminator of this identity' },
  connectTimeoutSeconds: ref('timeoutSeconds'),
});
const listenOptions = object({
  connectTimeoutSeconds: { ...ref('timeoutSeconds'), description: 'Use connectTimeout', deprecated: true },
  connectTimeout: { ...ref('duration'), description: 'Of connections to the server. Default: 5s' },
  maxConnections: { type: 'integer', minimum: 1, description: 'Default: 3' },
  identity: { type: 'string', description: 'The identity of the terminator' },
  bindUsingEdgeIdentity: { type: 'boolean', description: 'The terminator has the name of the hosting identity' },
  cost: { ...port, description: 'Default: 0' },
  precedence: { ...oneOf('default', 'required', 'failed'), description: 'Default: default' },
});

/** The value of the caller is forwarded, and has to be one of a list; or it is given. */
const forwarded = (forward: string, allowed: string, given: string) => ({
  if: { properties: { [forward]: { const: true } }, required: [forward] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON schema
  then: { required: [allowed] },
  else: { required: [given] },
});
const onlyTrue = { type: 'boolean', enum: [true] };
const hosting = {
  ...object({
    ...checked,
    protocol: ref('protocolName'),
    forwardProtocol: { ...onlyTrue, description: 'Dials with the protocol of the caller, instead of `protocol`' },
    allowedProtocols: setOf('protocolName', 'What a caller may choose'),
    address: ref('dialAddress'),
    forwardAddress: { ...onlyTrue, description: 'Dials the address of the caller, instead of `address`' },
    allowedAddresses: setOf('listenAddress', 'What a caller may choose'),
    forwardAddressTranslations: setOf('addressTranslation', 'How addresses of callers are translated'),
    port: ref('portNumber'),
    forwardPort: { ...onlyTrue, description: 'Dials the port of the caller, instead of `port`' },
    allowedPortRanges: setOf('portRange', 'What a caller may choose'),
    allowedSourceAddresses: setOf('listenAddress', 'Addresses of callers that get a route'),
    proxy: { ...ref('proxyConfiguration'), description: 'Connections to the server go through this proxy' },
    listenOptions,
  }),
  allOf: [
    forwarded('forwardProtocol', 'allowedProtocols', 'protocol'),
    forwarded('forwardAddress', 'allowedAddresses', 'address'),
    forwarded('forwardPort', 'allowedPortRanges', 'port'),
  ],
};
const hostDefinitions = { ...healthChecks, ...tunnel };

const links = {
  duration: { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$' },
  groups: { oneOf: [text, list(text)] },
  channelOptions: object({
    outQueueSize: { type: 'integer', minimum: 1 },
    maxQueuedConnects: { type: 'integer', minimum: 1, maximum: 5_000 },
    maxOutstandingConnects: { type: 'integer', minimum: 1, maximum: 1_000 },
    connectTimeout: ref('duration'),
    writeTimeout: ref('duration'),
  }),
  backoff: object({
    retryBackoffFactor: { type: 'number', minimum: 1, maximum: 100 },
    minRetryInterval: ref('duration'),
    maxRetryInterval: ref('duration'),
  }),
  listener: object(
    {
      binding: { type: 'string', minLength: 1, default: 'transport' },
      bind: { type: 'string', minLength: 1, description: 'An address such as tls:0.0.0.0:6262' },
      ...{ advertise: text, bindInterface: text, groups: ref('groups'), options: ref('channelOptions') },
    },
    'bind',
  ),
  dialer: object({
    binding: { type: 'string', minLength: 1, default: 'transport' },
    maxDefaultConnections: { type: 'integer', minimum: 1, maximum: 100 },
    maxAckConnections: { type: 'integer', minimum: 0, maximum: 100 },
    ...{ startupDelay: ref('duration'), bindInterface: text, groups: ref('groups') },
    ...{ healthyDialBackoff: ref('backoff'), unhealthyDialBackoff: ref('backoff'), options: ref('channelOptions') },
  }),
  heartbeats: object({
    sendInterval: ref('duration'),
    checkInterval: ref('duration'),
    closeUnresponsiveTimeout: ref('duration'),
  }),
};

/** Frozen like the migration that stores them. */
export const builtInConfigTypes: readonly BuiltInConfigType[] = [
  {
    id: 'f2dd2df0-9c04-4b84-a91e-71437ac229f1',
    name: 'ziti-tunneler-client.v1',
    target: 'service',
    schema: object({ hostname: text, port }, 'hostname', 'port'),
  },
  {
    id: 'cea49285-6c07-42cf-9f52-09a9b115c783',
    name: 'ziti-tunneler-server.v1',
    target: 'service',
    schema: {
      ...object(
        { protocol: { type: ['string', 'null'], enum: ['tcp', 'udp'] }, hostname: text, port, ...checked },
        'hostname',
        'port',
      ),
      definitions: healthChecks,
    },
  },
  {
    id: 'g7cIWbcGg',
    name: 'intercept.v1',
    target: 'service',
    schema: {
      ...object(
        {
          protocols: setOf('protocolName'),
          addresses: setOf('listenAddress'),
          portRanges: setOf('portRange'),
          dialOptions,
          sourceIp: { type: 'string', description: 'The address, with or without a port, that the server sees' },
          allowedSourceAddresses: setOf('listenAddress', 'Whose connections are intercepted. Default: all'),
        },
        'protocols',
        'addresses',
        'portRanges',
      ),
      definitions: tunnel,
    },
  },
  { id: 'NH5p4FpGR', name: 'host.v1', target: 'service', schema: { ...hosting, definitions: hostDefinitions } },
  {
    id: 'host.v2',
    name: 'host.v2',
    target: 'service',
    schema: {
      ...object({ terminators: ref('terminatorList') }, 'terminators'),
      definitions: {
        ...hostDefinitions,
        terminator: hosting,
        terminatorList: list(ref('terminator'), { minItems: 1 }),
      },
    },
  },
  {
    id: 'interfaces.v1',
    name: 'interfaces.v1',
    target: 'service',
    schema: object({ interfaces: list(text) }, 'interfaces'),
  },
  {
    id: 'proxy.v1',
    name: 'proxy.v1',
    target: 'service',
    schema: object(
      {
        port: { type: 'number', minimum: 1, maximum: 65_535, description: 'The port to listen on' },
        protocols: list(oneOf('tcp', 'udp'), { minItems: 1 }),
        binding: text,
      },
      'port',
      'protocols',
    ),
  },
  {
    id: 'router.link.v1',
    name: 'router.link.v1',
    target: 'router',
    schema: {
      ...object({
        listeners: list(ref('listener')),
        dialers: list(ref('dialer')),
        heartbeats: ref('heartbeats'),
        payloadSenderQueueSize: { type: 'integer', minimum: 1 },
        ackSenderQueueSize: { type: 'integer', minimum: 1 },
        gcMode: {
          ...oneOf('preserve', 'orphaned', 'changed'),
          default: 'preserve',
          description: 'Which links are closed when their listener or dialer is gone (orphaned) or differs (changed)',
        },
      }),
      definitions: links,
    },
  },
];
