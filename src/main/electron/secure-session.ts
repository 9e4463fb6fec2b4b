import type { Session } from 'electron'
import { hasRight, mayLoad } from './page-rights.ts'

/** Denies pages everything that they do not need: permissions, devices and the network. */
export function secureSession(session: Session, isPackaged: boolean): void {
  session.setPermissionRequestHandler((contents, permission, answer, details) => {
    answer(details.isMainFrame && hasRight(permission, contents.getURL()))
  })
  session.setPermissionCheckHandler((_contents, permission, _origin, details) => {
    return details.isMainFrame && hasRight(permission, details.requestingUrl ?? '')
  })
  session.setDevicePermissionHandler(() => false)
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !mayLoad(url, isPackaged) }))
}
