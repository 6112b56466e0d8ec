import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http'
import type { Express } from 'express'

export type Messages = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>

/**
 * The requests and responses of an application, for the server to make. Express changes the prototype of every one that
 * comes, and an object whose prototype was changed is slow for all of its life. These have it from the beginning, so
 * that nothing is changed.
 */
export function messagesOf(app: Express): Messages {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    readonly locals = {}
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request)
  Object.setPrototypeOf(AppResponse.prototype, app.response)
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype })
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse }
}
