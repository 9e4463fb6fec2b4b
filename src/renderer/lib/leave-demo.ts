import { call } from './client.ts'
import { noteLeft } from './connection.ts'

/**
 * Leaves the demo: closes its tab or, where the browser does not allow that, returns to the app that opened it, or says
 * that it has ended.
 */
export async function leaveDemo(): Promise<void> {
  const { link } = await call('demo.leave', {})
  window.close()
  if (window.closed) return
  if (link === null) noteLeft()
  else window.location.assign(link)
}
