import { readWindowFile } from '../surfaces/http/window-files.ts'
import { isOwnPage } from './trusted-sender.ts'

/** Serves the built window's files at `app://aspy/…`. Any other host or method gets a 404. */
export function createAppProtocol(root: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const isAsked = request.method === 'GET' && isOwnPage(request.url)
    const file = isAsked ? await readWindowFile(root, new URL(request.url).pathname, { isForPeople: true }) : null
    if (file === null) return new Response('not found', { status: 404 })
    return new Response(file.body, { status: file.status, headers: file.headers })
  }
}
