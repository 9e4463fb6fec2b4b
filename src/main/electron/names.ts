import { WINDOW_ORIGIN } from '../../shared/bridge.ts'

/** The scheme of links that open the app from outside; the window itself is served from another. */
export const LINK_SCHEME = 'aspy'

/** What Windows and Linux call the app; the packaged app has the same. */
export const APP_ID = 'dev.aspy.desktop'

/** Starts the app in the tray, no window: at login. */
export const HIDDEN_FLAG = '--hidden'

/** Serves without window and tray, until nobody has used the proxy for a while. */
export const BACKGROUND_FLAG = '--background'

/** The whole address of one of the window's views. */
export const pageAddress = (address: string): string => `${WINDOW_ORIGIN.scheme}://${WINDOW_ORIGIN.host}${address}`
