// The plainest reading there is, for pages that the careful one cannot cope with.
() => ({ text: document.body ? document.body.innerText : "", title: document.title, url: location.href })
