# The Atom feed of a browser.

feed-title = News for feed readers
feed-lead = An Atom feed says when it is your turn in a game with other people, and which board everybody plays today.
feed-address = Address of your feed
feed-secret = Whoever knows the address can read the feed, but cannot play for you.
feed-make = Make an address
feed-renew = Make a new address; this one ends
feed-turn = Your turn { $what }
