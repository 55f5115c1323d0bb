/** What the notes of peers are about. */

/** Notes are `ApiSessionChange`, or the ids of sessions of services that ended: `{ kind: 'sessionsEnded', ids }`. */
export const sessionTopic = 'sessions';
/** What controllers tell each other about routers, in `routers`. */
export const routerTopic = 'routers';
