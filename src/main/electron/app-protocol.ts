import { readWindowFile } from '../surfaces/http/window-files.ts'
import { isOwnPage } from './trusted-sender.ts'

/** Serves the built window's files at `app://aspy/…`. Any other host or method gets a 404. */
export function createAppProtocol(root: string): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'GET' || !isOwnPage(request.url)) return new Response('not found', { status: 404 })
    const file = await readWindowFile(root, new URL(request.url).pathname)
    return new Response(file.body, { status: file.status, headers: file.headers })
  }
}
