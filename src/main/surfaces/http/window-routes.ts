import type { Hono } from 'hono'
import type { BlankEnv } from 'hono/types'
import { errorResponse, unknownRoute } from './error-response.ts'
import { readWindowFile, type WindowCommands } from './window-files.ts'

/** Serves the built window at every address that no other route has. Other addresses give 404. */
export function addWindow(app: Hono<BlankEnv>, root: string, commands?: WindowCommands): void {
  app.get('*', async (context, next) => {
    // A person who mistypes an address gets the page, which says so. A program gets JSON.
    const isForPeople = context.req.header('accept')?.includes('text/html') === true
    const file = await readWindowFile(root, context.req.path, { commands, isForPeople })
    if (file === null) return next()
    return new Response(file.body, { status: file.status, headers: file.headers })
  })
  app.notFound((context) => errorResponse(context, unknownRoute(context.req.method, context.req.path)))
}
