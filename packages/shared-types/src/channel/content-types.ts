/** Content types of every channel. */
export const contentTypes = {
  hello: 0,
  ping: 1,
  result: 2,
  latency: 3,
  heartbeat: 5,
} as const;

/** Content types between a router and the controller. */
export const controlTypes = {
  ...contentTypes,
  /** The first frame of a router after a reconnect. */
  reconnectPing: -33,
  fault: 1004,
  route: 1005,
  unroute: 1006,
  metrics: 1007,
  routeResult: 1022,
  circuitConfirmation: 1034,
  routerLinks: 1035,
  verifyRouter: 1036,
  /** The controllers of the network. Routers of version 1 would lose those that it does not name. */
  updateControllers: 1037,
  removeTerminators: 1038,
  validateTerminators: 1041,
  validateTerminatorsResponse: 1042,
  peerStateChanges: 1050,
  routerInterfaces: 1052,
  linkState: 1053,
  alerts: 1054,
  requestControllers: 1055,
  updateLinkListeners: 1056,
  serverHello: 20_000,
  clientHello: 20_001,
  error: 20_002,
  sessionRemoved: 20_102,
  apiSessionAdded: 20_200,
  apiSessionUpdated: 20_201,
  apiSessionRemoved: 20_202,
  apiSessionHeartbeat: 20_203,
  requestClientResync: 20_204,
  updateTerminator: 20_209,
  updateTerminatorResponse: 20_210,
  validateSessions: 20_213,
  healthEvent: 20_214,
  createTerminator: 20_216,
  createTerminatorResponse: 20_217,
  createCircuit: 20_218,
  createCircuitResponse: 20_219,
  extendRouterResponse: 20_301,
  extendRouter: 20_302,
  extendRouterVerify: 20_303,
  connectEvents: 20_415,
  dataState: 20_500,
  dataChangeSet: 20_501,
  subscribeToDataModel: 20_505,
} as const;

/** Content types between an application and a router. */
export const edgeTypes = {
  ...contentTypes,
  connect: 60_783,
  stateConnected: 60_784,
  stateClosed: 60_785,
  data: 60_786,
  dial: 60_787,
  dialSuccess: 60_788,
  dialFailed: 60_789,
  bind: 60_790,
  unbind: 60_791,
  updateBind: 60_794,
  healthEvent: 60_795,
  traceRoute: 60_796,
  traceRouteResponse: 60_797,
  connectionInspect: 60_798,
  inspectResponse: 60_799,
  bindSuccess: 60_800,
  inspect: 60_804,
  connectionInspectResponse: 60_805,
} as const;

/** Header numbers of every channel. */
export const headers = {
  connectionId: 0,
  /** The sequence of the request. Who sends it replies. */
  replyFor: 1,
  isSuccess: 2,
  /** `version|revision|buildDate|os|arch` */
  versionInfo: 4,
  /** Nanoseconds of the sender's clock. */
  heartbeat: 5,
  /** The `heartbeat` of the peer, given back. */
  heartbeatResponse: 6,
  channelType: 7,
  /** The id of the side that answers a hello. */
  answeringId: 8,
} as const;

/** Headers in this range come back in the reply. */
export const reflectedHeaders = { from: 128, to: 255 } as const;

/** Header numbers between a router and the controller. The same number may mean different things in different messages. */
export const controlHeaders = {
  ...headers,
  /** Hello: the message `LinkListeners`. */
  linkListeners: 10,
  /** Hello: the message `RouterMetadata`. */
  routerMetadata: 11,
  /** Answer to a hello: what the controller can do, as bits of a big-endian number. */
  capabilities: 12,
  /** Hello of routers of version 2: its channel may have several connections. Then 10 and 11 mean the following. */
  isGrouped: 9,
  groupSecret: 10,
  isFirstOfGroup: 11,
  /** The same as `linkListeners`, in a hello of version 2. */
  groupedLinkListeners: 1000,
  /** The same as `capabilities`, in the hello of routers of version 2 and its answer. */
  groupedCapabilities: 1002,
  /** `createCircuit` and its response. */
  peerData: 10,
  sessionToken: 11,
  fingerprints: 12,
  instanceId: 13,
  apiSessionToken: 14,
  /** `createCircuitResponse`. */
  circuitId: 11,
  address: 12,
  tags: 13,
  /** `result` to `removeTerminators`: why it failed. */
  failure: 10,
  /** `error`. */
  errorCode: 1014,
  errorCircuitId: 1026,
  /** To routers of version 2: whether the application may try again. */
  retryHint: 18,
  /** `serverHello` and its response: whether the controller has a data model. */
  hasDataModel: 1024,
  dataModelIndex: 1025,
  /** `apiSessionAdded`, `apiSessionUpdated`. */
  syncStrategy: 1013,
  syncState: 1014,
  /** `routeResult`. */
  attempt: 1101,
  /** Present only on success. */
  isRouted: 1102,
  routeError: 1103,
  routeErrorCode: 1104,
} as const;

/** Header numbers between an application and a router, and of the peer data that pass the controller. */
export const edgeHeaders = {
  ...headers,
  connId: 1000,
  sequence: 1001,
  /** Hello: the token of the API session. */
  sessionToken: 1002,
  publicKey: 1003,
  cost: 1004,
  precedence: 1005,
  terminatorIdentity: 1006,
  terminatorIdentitySecret: 1007,
  /** What the dialer says its name is. Nobody verifies it. */
  callerId: 1008,
  cryptoMethod: 1009,
  flags: 1010,
  appData: 1011,
  routerProvidedConnId: 1012,
  isHealthy: 1013,
  errorCode: 1014,
  listenerId: 1021,
  connectionType: 1022,
  supportsInspect: 1023,
  supportsBindSuccess: 1024,
  connectionMarker: 1025,
  circuitId: 1026,
  stickinessToken: 1027,
  useFlowControl: 1028,
  /** Peer data of a dial: the `stickinessToken` of the application. */
  dialerStickinessToken: 1114,
} as const;

/** Bits of the header `flags` of data. */
export const dataFlags = {
  /** The sender sends nothing after this. */
  fin: 1,
  /** The sender reads messages of several parts. */
  multipart: 4,
  /** This body has several parts. */
  multipartMessage: 16,
} as const;
