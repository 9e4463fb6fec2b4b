import { strict } from './strict.ts'

type Details = { readonly isMainFrame: boolean; readonly requestingUrl: string }
type CheckHandler = (contents: unknown, permission: string, origin: string, details: Details) => boolean
type RequestHandler = (
  contents: { getURL(): string },
  permission: string,
  answer: (isGranted: boolean) => void,
  details: Details,
) => void
type BeforeRequest = (details: { url: string }, answer: (response: { cancel?: boolean }) => void) => void

let onCheck: CheckHandler | null = null
let onRequest: RequestHandler | null = null
let onBeforeRequest: BeforeRequest | null = null

export const session = {
  defaultSession: strict('session', {
    setPermissionRequestHandler: (handler: RequestHandler) => void (onRequest = handler),
    setPermissionCheckHandler: (handler: CheckHandler) => void (onCheck = handler),
    setDevicePermissionHandler: (_handler: () => boolean) => undefined,
    /** As the page would load it; what is not refused is not found here. */
    fetch: async (url: string) => {
      if (!mayLoad(url)) throw new Error('net::ERR_BLOCKED_BY_CLIENT')
      return new Response(null, { status: 404 })
    },
    webRequest: strict('webRequest', {
      onBeforeRequest: (handler: BeforeRequest) => void (onBeforeRequest = handler),
    }),
  }),
}

/** Whether a page may have a right. As in Electron, without handlers it may have them all. */
export function mayHave(permission: string, url: string): boolean {
  const details = { isMainFrame: true, requestingUrl: url }
  let isGranted = onRequest === null
  onRequest?.({ getURL: () => url }, permission, (answer) => (isGranted = answer), details)
  return isGranted && (onCheck?.(null, permission, new URL(url).origin, details) ?? true)
}

/** Whether the app lets something be loaded. */
export function mayLoad(url: string): boolean {
  let isCancelled = false
  onBeforeRequest?.({ url }, ({ cancel }) => (isCancelled = cancel === true))
  return !isCancelled
}
