// The screens of tablets and telephones, which the kiosk does not load.
import './tablet-camera.js';
import './tablet-devices.js';
import './tablet-gallery.js';
import './tablet-home.js';
import './tablet-invite.js';
import './tablet-pair.js';
import './tablet-postcard.js';
import './tablet-specimens.js';
