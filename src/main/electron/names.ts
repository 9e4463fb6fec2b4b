import { WINDOW_ORIGIN } from '../../shared/bridge.ts'

/** The scheme of links that open the app from outside. The window itself uses another scheme. */
export const LINK_SCHEME = 'aspy'

/** The app's ID on Windows and Linux; the packaged app uses the same. */
export const APP_ID = 'dev.aspy.desktop'

/** Starts the app in the tray without a window, at login. */
export const HIDDEN_FLAG = '--hidden'

/** Serves without window and tray until the proxy has been idle for a while. */
export const BACKGROUND_FLAG = '--background'

/** Checks the packed app itself and writes the result to the file that follows. */
export const SELF_CHECK_FLAG = '--self-check='

/** Returns the full URL of a view. */
export const pageAddress = (address: string): string => `${WINDOW_ORIGIN.scheme}://${WINDOW_ORIGIN.host}${address}`
