import { sessions } from '../../../sessions';

/** The calls of the client in the page go to the controller. */
const handle = (request: Request): Promise<Response> => sessions.handle(request);

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT };
