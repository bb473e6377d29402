# Notifications of the browser when it is the reader's turn.

notify-needs = Notifications are for games with other people. They need JavaScript, this page open in a tab, and a site that is opened with https or on this machine (localhost).
notify-granted = Notifications: this browser allows them for this site. When they are on, one appears if it is your turn in a game with other people and its page is open, but not in front.
notify-denied = Notifications: this browser blocks them for this site. You can allow them in the browser’s settings for this site.
notify-default = Notifications: this browser asks for your permission when you choose “On”.
notify-insecure = Notifications: not possible here, because browsers allow them only on sites that are opened with https or on this machine (localhost).
notify-unsupported = Notifications: this browser has none for pages.
